# The command ragassay with every extra, at the versions of the lock: docker build --tag ragassay .
#   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/project" ragassay run
# On a cluster, with Apptainer: docs/installation.md

FROM python:3.12-slim AS wheel
WORKDIR /source
COPY pyproject.toml setup.py requirements.lock README.md LICENSE Snakefile ./
COPY config ./config
COPY envs ./envs
COPY profiles ./profiles
COPY resources ./resources
COPY workflow ./workflow
RUN mkdir /wheels && grep -oE '^[A-Za-z0-9._-]+==[^ ;\\]+' requirements.lock > /wheels/constraints.txt
RUN pip install --no-cache-dir --constraint /wheels/constraints.txt setuptools
RUN pip wheel --no-deps --no-build-isolation --no-index --wheel-dir /wheels .

FROM python:3.12-slim AS ragassay
COPY --from=wheel /wheels /wheels
RUN pip install --no-cache-dir --constraint /wheels/constraints.txt "$(ls /wheels/*.whl)[demo,slurm]"
RUN pip install --no-cache-dir --no-deps newscatcher==0.2.0
ENV HOME=/tmp XDG_CACHE_HOME=/tmp/cache
WORKDIR /project
RUN ragassay doctor
ENTRYPOINT ["ragassay"]
CMD ["--help"]
