/** Definitions whose groups and kinds are spelled in unusual ways, and what is kept of an OpenAPI document's operations on them. */
import { isBody, type Body, type Json } from '../reference';
import { list, object, STRING } from './cases';

interface Named {
  readonly group: string;
  readonly kind: string;
  readonly scope: 'Cluster' | 'Namespaced';
  readonly version: string;
  readonly more?: Body;
}

const SUBRESOURCES: Body = {
  subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
};

const NAMED: readonly Named[] = [
  { group: 'acid.answers.do', kind: 'postgresql', scope: 'Namespaced', version: 'v1', more: SUBRESOURCES },
  { group: 'acid.answers.do', kind: 'clusterWide', scope: 'Cluster', version: 'v1' },
  { group: 'acme.cert-answers.io', kind: 'Order', scope: 'Namespaced', version: 'v1alpha1' },
  { group: 'two--dashes.x1.9z', kind: 'A1', scope: 'Cluster', version: 'v2' },
  { group: 'gateway.answers.k8s.io', kind: 'Route', scope: 'Namespaced', version: 'v1', more: SUBRESOURCES },
  { group: 'snapshots.x-k8s.io', kind: 'URLMap', scope: 'Cluster', version: 'v1beta2', more: { subresources: { status: {} } } },
  { group: 'answers.kubernetes.io', kind: 'thing', scope: 'Namespaced', version: 'stable' },
];

const SCHEMA = object({
  spec: object({
    replicas: { type: 'integer' },
    embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    templates: list(object({ spec: object({ a: STRING }) }, { 'x-kubernetes-embedded-resource': true })),
  }),
  status: object({ replicas: { type: 'integer' } }),
});

export const OPERATION_DEFINITIONS: readonly Body[] = NAMED.map(({ group, kind, scope, version, more = {} }) => {
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, annotations: { 'api-approved.kubernetes.io': 'unapproved' } },
    spec: {
      group,
      scope,
      names: { plural, kind },
      versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: SCHEMA }, ...more }],
    },
  };
});

/** `apis/<group>/<version>`, each once. */
export const OPERATION_DOCUMENTS: readonly string[] = [...new Set(NAMED.map(({ group, version }) => `apis/${group}/${version}`))];

const membersOf = (value: Json | undefined): Body => (isBody(value ?? null) && isBody(value) ? value : {});

/** By path and method: its id, tags, media types, answers, parameters and kind. */
export function operationsIn(document: Json, group: string): Body {
  const found: Body = {};
  for (const [path, item] of Object.entries(membersOf(membersOf(document)['paths']))) {
    if (!path.startsWith(`/${group}/`)) continue;
    for (const [method, operation] of Object.entries(membersOf(item))) {
      if (method === 'parameters') continue;
      const { description: _, parameters, requestBody, responses, ...others } = membersOf(operation);
      const names = [...listOf(parameters), ...listOf(membersOf(item)['parameters'])].map(nameOf).sort();
      const answers = Object.entries(membersOf(responses)).map(([code, answer]): [string, Json] => [code, contentOf(answer)]);
      const body = requestBody === undefined ? {} : { requestBody: contentOf(requestBody) };
      found[`${method} ${path}`] = { ...others, parameters: names, responses: Object.fromEntries(answers), ...body };
    }
  }
  return found;
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

/** A shared parameter by the beginning of its reference, which is its name. */
function nameOf(parameter: Json): string {
  const { name, $ref } = membersOf(parameter);
  if (typeof name === 'string') return name;
  return typeof $ref === 'string' ? ($ref.split('/').pop() ?? '').replace(/-.{8}$/, '') : '';
}

/** What is sent or answered, by media type; version 2 has one schema for all. */
function contentOf(value: Json): Json {
  const { content, schema } = membersOf(value);
  return content ?? schema ?? null;
}

/** Of the texts of apiVersion, kind and metadata the beginnings: the rest is in other words. */
export function beginnings(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(beginnings);
  if (!isBody(schema)) return schema;
  const entries = Object.entries(schema).map(([name, member]): [string, Json] =>
    name === 'description' && typeof member === 'string' ? [name, member.split(' ').slice(0, 2).join(' ')] : [name, beginnings(member)],
  );
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
