from calc import add

assert add(2, 3) == 5, "2 + 3 is 5"
print("all is well")
