"""Q15: flat or declining categories."""
