"""Planning with all secrets public: a task in joint turns, its shortest plan, and that plan in the simulator."""
