"""How sure an answer is: the calibrated probability that its rows are right."""
