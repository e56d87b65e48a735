# docker build -t app .
# docker run --rm --env-file production.env app node scripts/db.mjs migrate
# docker run --read-only --env-file production.env -p 3000:3000 app

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts scripts
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build:standalone

FROM node:24-bookworm-slim
ENV NODE_ENV=production
ENV HOSTNAME=0.0.0.0
ENV PORT=3000
# The memory of processed images goes back to the system, instead of staying in the heap of glibc.
ENV MALLOC_MMAP_THRESHOLD_=262144
WORKDIR /app
COPY --from=build /app/.next/standalone ./
USER node
EXPOSE 3000
# No shell and no npm in between, so that the app itself gets the signals.
CMD ["node", "server.js"]
