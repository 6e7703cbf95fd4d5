# arcwise serve in a container: docker build -t arcwise .
# The first stage compiles a wheel, the second has no compiler. This file was written where no container could be
# built: docs/releasing.md has its place in the checklist.
FROM python:3.11-slim-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY pyproject.toml CMakeLists.txt README.md LICENSE ./
COPY cpp cpp
COPY bindings bindings
COPY src src
RUN pip wheel --no-cache-dir --no-deps -w /wheels .

FROM python:3.11-slim-bookworm
COPY --from=build /wheels /wheels
RUN wheel=$(echo /wheels/arcwise-*.whl) && pip install --no-cache-dir "arcwise[serve] @ file://$wheel" \
  && rm -rf /wheels && useradd --create-home --uid 10001 arcwise
USER arcwise
WORKDIR /home/arcwise
EXPOSE 8080
HEALTHCHECK CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8080/health', timeout=3)"]
# It wants a token, as whoever can reach the port can use it: -e ARCWISE_TOKEN=…
ENTRYPOINT ["arcwise"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8080"]
