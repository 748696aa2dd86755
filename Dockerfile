# One image for everything: the whole service by default, or one role with `tributary api` or `tributary worker`.
FROM node:24-bookworm-slim
ENV TRIBUTARY_DATA_DIR=/data TRIBUTARY_HOST=0.0.0.0
WORKDIR /app
COPY . .
# Runs as an ordinary user, because the embedded PostgreSQL refuses to run as root.
RUN npm install --omit=dev --no-audit --no-fund \
  && npm cache clean --force \
  && ln -s /app/src/cli/tributary.ts /usr/local/bin/tributary \
  && install --directory --owner=node --group=node /data
USER node
VOLUME /data
EXPOSE 8080 9000
CMD ["node", "src/process/main.ts"]
