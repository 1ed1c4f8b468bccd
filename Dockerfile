# One image for every program of the control plane; the command says which.
ARG NODE_IMAGE=node:24-bookworm-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.base.json tsconfig.product.json ./
COPY deploy/scripts deploy/scripts
COPY . .
RUN npm run build -- product && find dist -name '*.map' -delete && rm -rf dist/.types dist/*.tsbuildinfo

FROM ${NODE_IMAGE} AS packages
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --omit=dev

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
# A volume takes over who owns the folder that it is mounted on for the first time.
RUN for part in authority etcd-authority etcd apiserver controllers tokens admin grafana monitoring public simulation; do mkdir -p /pki/$part; done \
 && mkdir -p /etcd/1 /etcd/2 /etcd/3 /prometheus /alertmanager /grafana && chown -R node:node /pki /etcd /prometheus /alertmanager /grafana \
 && chmod -R go= /pki /etcd
COPY --from=packages /src/node_modules node_modules
COPY --from=build /src/dist dist
COPY package.json ./
USER node
ENTRYPOINT ["node", "--max-semi-space-size=4", "--no-parallel-scavenge", "--no-allocation-site-pretenuring", "--concurrent-marking-max-worker-num=1", "--expose-gc"]
CMD ["dist/apiserver/main.js", "--help"]
