"""What is not independent: teams of systems, clusters of topics, and the runs that a system is the mean of."""
