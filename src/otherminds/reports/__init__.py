"""What people see: tables, figures and pages, made from cells and curves alone."""
