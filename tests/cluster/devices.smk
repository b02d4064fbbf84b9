"""Two jobs with a GPU each, at a time: each writes the device that it sees, and waits for the other."""


rule all:
    input:
        expand("seen/{job}", job=[0, 1]),


rule see:
    output:
        "seen/{job}",
    resources:
        gpu=1,
        mem_mb=300,
        runtime=2,
    log:
        "logs/{job}.log",
    shell:
        """
        echo "$CUDA_VISIBLE_DEVICES" > started.{wildcards.job}
        for _ in $(seq 300); do [ -e started.0 ] && [ -e started.1 ] && break; sleep 0.2; done
        cp started.{wildcards.job} {output}
        """
