"""Which few metrics to report: those that say most and repeat each other least, or that predict the others best."""
