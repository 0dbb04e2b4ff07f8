"""What a customer wants to buy."""


class Cart:
    def __init__(self):
        self.items = []

    def add(self, name, price, count=1):
        """Puts something in; the price is in cents."""
        self.items.append((name, price, count))

    def total(self):
        """Returns what everything costs together, in cents."""
        return sum(price * count for _, price, count in self.items)
