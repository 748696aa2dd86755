export const username = 'tributary';
/** A user with sets, groups and joins limited to 100 rows; beyond that it gets partial results, not an error. */
export const limitedUsername = 'limited';
export const password = "it's a se:cr@t";
export const clusterName = 'pair';
/**
 * A server that was killed is read-only until its old session with ZooKeeper has ended. Shorter sessions might end
 * by themselves on a busy machine.
 */
const sessionMs = 8_000;
/** How soon a server that was frozen notices that its session has ended. The default is a minute. */
const sessionCheckSeconds = 1;

interface ServerPlace {
  readonly folder: string;
  readonly shard: number;
  readonly host: string;
  readonly port: number;
  readonly httpPort: number;
  /** Replicas copy rows from each other there. */
  readonly interserverPort: number | null;
}

export function serverConfig(
  { folder, host, port, httpPort, interserverPort }: ServerPlace,
  servers: readonly ServerPlace[],
  zookeeperPort: number | null,
): string {
  const list = [...Map.groupBy(servers, ({ shard }) => shard).values()]
    .map((replicas) => `<shard>${replicas.map(replicaOf).join('')}</shard>`)
    .join('');
  const first = servers[0]!;
  const second = servers[1] ?? first;
  const replication = `<interserver_http_host>${host}</interserver_http_host>
  <interserver_http_port>${interserverPort}</interserver_http_port>
  <zookeeper>
    <node><host>127.0.0.1</host><port>${zookeeperPort}</port></node>
    <session_timeout_ms>${sessionMs}</session_timeout_ms>
  </zookeeper>
  <merge_tree><zookeeper_session_expiration_check_period>${sessionCheckSeconds}</zookeeper_session_expiration_check_period></merge_tree>`;
  return `<yandex>
  <logger><level>warning</level><log>${folder}/log</log><errorlog>${folder}/errors</errorlog></logger>
  <listen_host>${host}</listen_host>
  <http_port>${httpPort}</http_port>
  <tcp_port>${port}</tcp_port>
  <path>${folder}/data/</path>
  <tmp_path>${folder}/data/tmp/</tmp_path>
  <users_config>${folder}/users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <mark_cache_size>16777216</mark_cache_size>
  <uncompressed_cache_size>0</uncompressed_cache_size>
  <keep_alive_timeout>3</keep_alive_timeout>
  ${zookeeperPort === null ? '' : replication}
  <remote_servers>
    <${clusterName}>${list}</${clusterName}>
    <twice>${list.replace(second.host, first.host)}</twice>
    <renamed>${list.replace(second.host, 'localhost')}</renamed>
    <mixed>${list.replace(`<port>${first.port}<`, `<port>${second.port}<`)}</mixed>
    <weighted>${list.replace('<shard>', '<shard><weight>2</weight>')}</weighted>
  </remote_servers>
</yandex>`;
}

function replicaOf({ host, port }: ServerPlace): string {
  return `<replica>
      <host>${host}</host><port>${port}</port>
      <user>${username}</user><password>${password}</password>
    </replica>`;
}

export function usersOf(): string {
  const userOf = (name: string, profile: string) => `<${name}>
    <password>${password}</password>
    <networks><ip>127.0.0.0/8</ip></networks>
    <profile>${profile}</profile>
    <quota>default</quota>
  </${name}>`;
  return `<yandex>
  <profiles>
    <default>
      <max_memory_usage>500000000</max_memory_usage>
      <max_threads>2</max_threads>
    </default>
    <limited>
      <extremes>1</extremes>
      <max_rows_to_group_by>100</max_rows_to_group_by>
      <group_by_overflow_mode>any</group_by_overflow_mode>
      <max_rows_in_set>100</max_rows_in_set>
      <set_overflow_mode>break</set_overflow_mode>
      <max_rows_in_join>100</max_rows_in_join>
      <join_overflow_mode>break</join_overflow_mode>
    </limited>
  </profiles>
  <users>${userOf(username, 'default')}${userOf(limitedUsername, 'limited')}</users>
  <quotas><default /></quotas>
</yandex>`;
}
