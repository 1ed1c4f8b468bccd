# One image for all programs. Its entry point is `platform`: `start` is a control plane in one container, `apiserver`,
# `controllers` and `simulation` are its programs. See docs/guide/containers.md.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN node deploy/scripts/package.mjs
# The contents of the npm package. npm takes the versions of its few dependencies from the lock file.
WORKDIR /app
RUN tar xzf /src/*.tgz --strip-components=1 && cp /src/package-lock.json /src/.npmrc . \
 && npm install --ignore-scripts --omit=dev && rm package-lock.json .npmrc
# Node's arguments have one source, deploy/cluster/node-arguments.ts.
RUN arguments=$(node -p "require('/src/dist/deploy/cluster/node-arguments.js').NODE_ARGUMENTS.join(' ')") \
 && printf '#!/bin/sh\nexec node %s /app/dist/deploy/cli/main.js "$@"\n' "$arguments" > platform && chmod +x platform

# A first run leaves the code that V8 compiled in the package. Node uses it only for the same user and arguments.
FROM ${NODE_IMAGE} AS compiled
COPY --from=build --chown=node:node /app /app
USER node
RUN /app/platform start --detach --data-dir=/tmp/data --simulated-nodes=1 && /app/platform stop --data-dir=/tmp/data \
 && chmod -R a+rX /app

FROM ${NODE_IMAGE}
ENV NODE_ENV=production PLATFORM_DATA_DIR=/var/lib/platform PLATFORM_BIND_ADDRESS=0.0.0.0
# As systemd and other engines name it: `start` then prints commands for the host.
ENV container=oci
# A volume takes over the owner and the mode of the folder that it is mounted on for the first time. There is no VOLUME:
# every container of Docker Compose would get one that it does not use.
RUN for part in authority etcd-authority etcd1 etcd2 etcd3 apiserver controllers tokens admin grafana monitoring public simulation scheduler; do \
    mkdir -p /pki/$part; done \
 && mkdir -p /etcd/1 /etcd/2 /etcd/3 /prometheus /alertmanager /grafana /var/lib/platform \
 && chown -R node:node /pki /etcd /prometheus /alertmanager /grafana /var/lib/platform \
 && chmod -R go= /pki /etcd /var/lib/platform \
 && ln -s /app/platform /usr/local/bin/platform
COPY --from=compiled --chown=root:root /app /app
WORKDIR /app
USER node
EXPOSE 6443
# For `start`. The services of Docker Compose have checks of their own.
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s CMD ["platform", "status"]
ENTRYPOINT ["platform"]
CMD ["--help"]
