import type { ApiDocument, ApiOperation, JsonSchema } from './partner-document.ts';

const header = (what: string) => `"""${what} Generated from the OpenAPI document: do not edit."""

from __future__ import annotations
`;

/** The requests and responses of all operations as TypedDicts. */
export function pythonTypes(document: ApiDocument): string {
  const classes = new Map<string, string>();
  /** Identical shapes share the first name. */
  const names = new Map<string, string>();

  function classOf(schema: JsonSchema, name: string): string {
    const shape = JSON.stringify(withoutTexts(schema));
    const known = names.get(shape);
    if (known !== undefined) return known;
    names.set(shape, name);
    const { properties = {}, required = [] } = schema;
    const members = Object.entries(properties).map(([member, each]) => ({
      line: `    ${member}: ${typeOf(each, name + pascal(member))}\n`,
      isRequired: required.includes(member),
    }));
    const [always, sometimes] = [true, false].map((needed) =>
      members.filter(({ isRequired }) => isRequired === needed).map(({ line }) => line),
    ) as [string[], string[]];
    const base = sometimes.length > 0 && always.length > 0 ? `_${name}Required` : undefined;
    if (base) classes.set(base, `class ${base}(TypedDict):\n${always.join('')}`);
    const bases = `${base ?? 'TypedDict'}${sometimes.length > 0 ? ', total=False' : ''}`;
    const lines = base ? sometimes : [...always, ...sometimes];
    classes.set(name, `class ${name}(${bases}):\n${lines.join('')}`);
    return name;
  }

  function typeOf(schema: JsonSchema, name: string): string {
    if (schema.const !== undefined) return `Literal[${pythonValue(schema.const)}]`;
    if (schema.enum) return `Literal[${schema.enum.map(pythonValue).join(', ')}]`;
    if (schema.anyOf) return union(schema.anyOf.map((each) => typeOf(each, name)));
    if (Array.isArray(schema.type)) {
      return union(schema.type.map((type) => typeOf({ ...schema, type }, name)));
    }
    switch (schema.type) {
      case 'string':
        return 'str';
      case 'integer':
        return 'int';
      case 'number':
        return 'float';
      case 'boolean':
        return 'bool';
      case 'null':
        return 'None';
      case 'array':
        return `List[${typeOf(schema.items ?? {}, name)}]`;
      case 'object':
        if (Object.keys(schema.properties ?? {}).length > 0) return classOf(schema, name);
        return typeof schema.additionalProperties === 'object'
          ? `Dict[str, ${typeOf(schema.additionalProperties, name)}]`
          : 'Dict[str, Any]';
      default:
        return 'Any';
    }
  }

  for (const operation of operationsOf(document)) {
    const base = pascal(operation.operationId);
    const request = operation.requestBody?.content['application/json']?.schema;
    if (request) typeOf(request, `${base}Request`);
    const response = responseOf(operation);
    if (response?.type === 'array')
      alias(`${base}Item`, typeOf(response.items ?? {}, `${base}Item`));
    else if (response) alias(`${base}Response`, typeOf(response, `${base}Response`));
  }

  function alias(name: string, type: string): void {
    if (type !== name && !classes.has(name)) classes.set(name, `${name} = ${type}\n`);
  }

  const imports = 'from typing import Any, Dict, List, Literal, Optional, TypedDict, Union\n';
  return [`${header('Types of requests and responses.')}\n${imports}`, ...classes.values()].join(
    '\n\n',
  );
}

/** One class of errors for each problem code. */
export function pythonProblems(document: ApiDocument): string {
  const [operation] = operationsOf(document);
  const problem = operation?.responses.default?.content?.['application/problem+json']?.schema;
  const codes = (problem?.properties?.code?.enum ?? []) as string[];
  const classes = codes.map(
    (code) => `class ${pascal(code)}(ProblemError):\n    code = "${code}"\n`,
  );
  const entries = codes.map((code) => `    "${code}": ${pascal(code)},\n`);
  return [
    `${header('One error for each problem code.')}\nfrom typing import Dict, Type\n\nfrom .errors import ProblemError\n`,
    ...classes,
    `BY_CODE: Dict[str, Type[ProblemError]] = {\n${entries.join('')}}\n`,
  ].join('\n\n');
}

function operationsOf(document: ApiDocument): ApiOperation[] {
  return Object.values(document.paths).flatMap((methods) => Object.values(methods));
}

function responseOf({ responses }: ApiOperation): JsonSchema | undefined {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  return success?.content?.['application/json']?.schema;
}

function union(types: readonly string[]): string {
  const others = [...new Set(types)].filter((type) => type !== 'None');
  const joined = others.length === 1 ? others[0]! : `Union[${others.join(', ')}]`;
  return types.includes('None') ? `Optional[${joined}]` : joined;
}

function pascal(name: string): string {
  return name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function pythonValue(value: unknown): string {
  return value === true ? 'True' : value === false ? 'False' : JSON.stringify(value);
}

/** A description is text unless it is the schema of a member with that name. */
function withoutTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(
    ([name, member]) =>
      !(name === 'description' && typeof member === 'string') && name !== 'examples',
  );
  return Object.fromEntries(members.map(([name, member]) => [name, withoutTexts(member)]));
}
