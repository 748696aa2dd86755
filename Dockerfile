# One image for everything: the whole service by default, or one role with `tributary api` or `tributary worker`.
FROM node:24-bookworm-slim AS package
WORKDIR /checkout
COPY . .
# The package brings its own Node, which the image does not need a second time.
RUN npm install --no-audit --no-fund \
  && npm pack \
  && npm install --global --prefix /opt/tributary --no-audit --no-fund ./tributary-*.tgz \
  && rm -r /opt/tributary/lib/node_modules/tributary/node_modules/node-linux-*

FROM node:24-bookworm-slim
ENV TRIBUTARY_DATA_DIR=/data TRIBUTARY_HOST=0.0.0.0 PATH=/opt/tributary/bin:$PATH
COPY --from=package /opt/tributary /opt/tributary
RUN install --directory --owner=node --group=node /data
# An ordinary user, because the embedded PostgreSQL refuses to run as root.
USER node
WORKDIR /data
VOLUME /data
EXPOSE 8080 9000
CMD ["tributary", "start"]
