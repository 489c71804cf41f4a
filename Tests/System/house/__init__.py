"""The parts of the system tests: a real broker, people and apps as processes of many users."""
