"""What the system tests are made of: a real broker, people and apps, each a process under a uid of its own."""
