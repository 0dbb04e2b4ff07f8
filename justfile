# Short names for the commands of this repository; the logic lives in scripts/ and xtask/.

# What a developer runs before a commit.
check:
    cargo xtask check

# What CI runs: installs what is missing, then everything.
test:
    ./scripts/test

# Builds the release binary and plays the demo, or runs `fleet` with what is said behind it.
run *args:
    ./scripts/run {{args}}

# Regenerates contract/ and docs/reference/.
gen:
    cargo xtask gen

# Checks the rules of the house; `just tidy --report` prints sizes.
tidy *args:
    cargo xtask tidy {{args}}
