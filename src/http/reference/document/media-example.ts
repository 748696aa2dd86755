import { type Content, givenExample, type MediaType, type Schemas } from './openapi-document.ts';
import { exampleIn, type Side, sampleOf } from './schema-sample.ts';

export interface MediaExample {
  readonly type: string;
  /** Undefined for bytes, and for text without an example. */
  readonly text: string | undefined;
}

/** An example body, in JSON if that is one of the media types, otherwise in the first type. */
export function mediaExample(
  content: Content,
  schemas: Schemas,
  side: Side,
): MediaExample | undefined {
  const types = Object.entries(content);
  const json = types.find(([type]) => isJson(type));
  if (json !== undefined) return { type: json[0], text: jsonText(json[1], schemas, side) };
  const [type, media] = types[0] ?? [];
  if (type === undefined || media === undefined) return undefined;
  const given = givenExample(media) ?? exampleIn(media.schema ?? {}, schemas);
  return { type, text: typeof given === 'string' ? given : undefined };
}

export function isJson(type: string): boolean {
  return /[/+]json\b/.test(type);
}

function jsonText(media: MediaType, schemas: Schemas, side: Side): string | undefined {
  const given = givenExample(media);
  const value = given === undefined ? sampleOf(media.schema ?? {}, schemas, side) : given;
  return value === undefined ? undefined : JSON.stringify(value, null, 2);
}
