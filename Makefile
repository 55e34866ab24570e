.PHONY: serve test check ci

serve:
	python3 run

test:
	python3 run test

check:
	python3 run check

ci:
	.ci/run
