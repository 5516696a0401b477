"""What reports show of the matrix games' paper: its tables, its rows beside a scenario, and curves by action names."""
