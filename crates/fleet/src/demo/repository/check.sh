#!/bin/sh
# What must hold on `main`: no conflict is left open, and what the tests import is there.
set -eu
! grep -rnE '^(<<<<<<<|>>>>>>>)' shop
for module in $(grep -rhoE '^from shop\.[a-z]+' tests 2>/dev/null | sed 's/^from shop\.//' | sort -u); do
  test -s "shop/$module.py" || { echo "the tests import shop.$module, which is not there"; exit 1; }
done
