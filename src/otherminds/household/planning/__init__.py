"""Planning with all secrets public: the task in joint turns, its shortest plan, and its replay in the simulator."""
