module example.org/family-albums

go 1.19
