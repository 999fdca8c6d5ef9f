# docker build --build-arg VERSION=$(node -p "require('./package.json').version") --build-arg REVISION=$(git describe --always --dirty) .
FROM node:20-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# What the server says it is, at start and to monitoring.
ARG REVISION=
RUN REVISION=$REVISION npm run build && npm prune --omit=dev

FROM node:20-slim
ARG VERSION=
ARG REVISION=
LABEL org.opencontainers.image.title="Forecast Pivot" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION"
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/build ./build
COPY --from=build /app/migrations ./migrations
COPY --from=build /app/LICENSE /app/THIRD_PARTY_LICENSES ./
# Starts the commands that the build made: migrate, periods.
COPY --from=build /app/bin ./bin
# Nobody, by number, so that Kubernetes can see that it is not root. Nothing in the image is theirs, and
# the server writes no file.
USER 65534:65534
EXPOSE 3010
# Whether the process can answer: if not, start it again. Whether it gets requests is for the proxy to
# ask, of /api/health, which also asks the database.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3010}/api/health/live`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "build"]
