"""Who works: children that check, score and publish, and the crew that hands them what is to do."""
