"""What a board shows of its runs: asked of irmeta, put in order, compared over years."""
