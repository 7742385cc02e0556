"""What runs score, what is odd about them, and whether a paper's figures can be reproduced."""
