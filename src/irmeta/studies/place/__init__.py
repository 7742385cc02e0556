"""Where systems stand among everybody's, on one collection or on several: by standardized scores."""
