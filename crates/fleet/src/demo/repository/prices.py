"""What is sold, and for how much, in cents."""

PRICES = {"tea": 450, "teapot": 2900, "strainer": 700, "honey": 850}


def price_of(name):
    return PRICES[name]
