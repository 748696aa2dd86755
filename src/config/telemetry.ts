import type { SettingName, SettingValue } from './settings.ts';

/** Where traces go, and which of them. */
export interface TraceConfig {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: { readonly ratio: number; readonly followsParent: boolean };
}

type ReadSetting = <Name extends SettingName>(name: Name) => SettingValue<Name>;

/** The settings of OpenTelemetry. Null: nothing is traced. */
export function readTraceConfig(read: ReadSetting): TraceConfig | null {
  const endpoint = read('OTEL_EXPORTER_OTLP_ENDPOINT');
  const tracesEndpoint = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const url = tracesEndpoint ?? (endpoint === null ? null : `${endpoint}/v1/traces`);
  // Read also if nothing is traced, so that invalid values are found.
  read('OTEL_EXPORTER_OTLP_PROTOCOL');
  const isDisabled = read('OTEL_SDK_DISABLED');
  const options = {
    headers: read('OTEL_EXPORTER_OTLP_HEADERS'),
    serviceName: read('OTEL_SERVICE_NAME'),
    resource: read('OTEL_RESOURCE_ATTRIBUTES'),
    sampler: readSampler(read),
  };
  return url === null || isDisabled ? null : { url, ...options };
}

function readSampler(read: ReadSetting): TraceConfig['sampler'] {
  const name = read('OTEL_TRACES_SAMPLER');
  const share = read('OTEL_TRACES_SAMPLER_ARG');
  const fixed = name.endsWith('always_on') ? 1 : name.endsWith('always_off') ? 0 : null;
  return {
    ratio: fixed ?? share,
    followsParent: name.startsWith('parentbased_'),
  };
}
