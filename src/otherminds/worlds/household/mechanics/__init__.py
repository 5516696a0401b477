"""The six mechanics (Juneja et al. 2026, section 3.4 and appendix J): one file each, any subset composes."""
