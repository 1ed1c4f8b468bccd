/** Recordings of writes of CustomResourceDefinitions (format `custom-definitions`): their lines, and the part of an answer that is recorded. */
import type { Body } from './json-response';
import { body, either, listOf, oneOf, shape, text, type Check } from './shape';
import { shortenPatterns } from './normalize-answer';

/** Causes as `<field> <reason> <message>`; `created`; the code and message of a refusal without causes; or what an update stored. */
export type DefinitionAnswer = readonly string[] | object | string;

/** A creation, or an update when there is an old object. Bodies are abbreviated (request-body.ts). */
export interface DefinitionCase {
  readonly title: string;
  /** `false`: another definition holds the names of the old object. */
  readonly namesAccepted?: false;
  readonly old?: Body;
  readonly subresource?: 'status';
  readonly body: Body;
  /** Absent in a line that has yet to be recorded. */
  readonly answer?: DefinitionAnswer;
}

export const isDefinitionCase: Check<DefinitionCase> = shape(
  { title: text, body },
  { namesAccepted: oneOf(false), old: body, subresource: oneOf('status'), answer: either(text, either(listOf(text), body)) },
);

export interface DefinitionResponse {
  readonly code: number;
  readonly message: string;
  readonly causes: readonly (readonly string[])[];
  readonly object: Readonly<Record<string, unknown>>;
}

export function definitionAnswer({ code, message, causes, object }: DefinitionResponse): DefinitionAnswer {
  if (code === 201) return 'created';
  if (code === 200) return storedParts(object);
  if (causes.length === 0) return `${code} ${message}`;
  return causes.map((cause) => maskGeneratedName(shortenValues(shortenPatterns(cause.join(' ')))));
}

const APPROVED = 'KubernetesAPIApprovalPolicyConformant';

/** What an update may change, without what is new in every run. */
function storedParts({ metadata, spec, status }: Readonly<Record<string, unknown>>): object {
  const copy = JSON.parse(JSON.stringify({ metadata, spec, status }));
  for (const member of ['name', 'uid', 'resourceVersion', 'creationTimestamp', 'managedFields']) delete copy.metadata[member];
  // What a slow controller adds, and when others added theirs.
  if (copy.status.conditions) copy.status.conditions = copy.status.conditions.filter(({ type }: { type: string }) => type !== APPROVED);
  for (const condition of copy.status.conditions ?? []) {
    if (condition.lastTransitionTime?.startsWith('2026-01-01') !== true) delete condition.lastTransitionTime;
  }
  // The two are not told apart when they are stored.
  if (copy.status.conditions?.length === 0) copy.status.conditions = null;
  const { names, scope, conversion } = copy.spec;
  return { ...copy.metadata, names: Object.values(names), scope, conversion: conversion.strategy, status: copy.status };
}

/** Go's dumps of whole objects hold addresses, which are new in every run. */
const shortenValues = (text: string): string =>
  text
    .replace(/(Invalid value: (?:\[\])?apiextensions\.\w+)\{.*\}(: )/, '$1{…}$2')
    // Ours names the member that the root of a schema may not have.
    .replace(/(Invalid value: )(?:"[^"]+"|apiextensions\.JSONSchemaProps\{…\})(: only \[)/, '$1{…}$2');

const maskGeneratedName = (text: string): string => text.replace(/"things\.[a-z0-9]{5}"/g, '"things.<random>"');
