/**
 * Recordings of writes of CustomResourceDefinitions (format `custom-definitions`): their lines, and the recorded part
 * of a response.
 */
import { body, either, listOf, oneOf, shape, text, type Checked } from '../shape';
import { shortenPatterns } from '../normalize/normalize-response';

/**
 * Causes as `<field> <reason> <message>`; `created`; the code and message of a rejection without causes; or the stored
 * object of an update.
 */
export type DefinitionOutcome = readonly string[] | object | string;

/** A creation, or an update when there is an old object. Bodies are abbreviated (request-body.ts). */
export const isDefinitionCase = shape(
  { title: text, body },
  {
    /** `false`: another definition holds the names of the old object. */
    namesAccepted: oneOf(false),
    old: body,
    subresource: oneOf('status'),
    /** A {@link DefinitionOutcome}; absent in a line that is not recorded yet. */
    answer: either(text, either(listOf(text), body)),
  },
);
export type DefinitionCase = Checked<typeof isDefinitionCase>;

export interface DefinitionResponse {
  readonly code: number;
  readonly message: string;
  readonly causes: readonly (readonly string[])[];
  readonly object: Readonly<Record<string, unknown>>;
}

/** The recorded part of a response, without what differs between servers and runs. */
export function definitionOutcome({ code, message, causes, object }: DefinitionResponse): DefinitionOutcome {
  if (code === 201) return 'created';
  if (code === 200) return storedParts(object);
  if (causes.length === 0) return `${code} ${message}`;
  return causes.map((cause) => maskGeneratedName(shortenValues(shortenPatterns(cause.join(' ')))));
}

/** The condition that the server's approval controller adds. */
const APPROVED = 'KubernetesAPIApprovalPolicyConformant';

/** The parts of the object that an update may change, without what is new in every run. */
function storedParts({ metadata, spec, status }: Readonly<Record<string, unknown>>): object {
  const copy = JSON.parse(JSON.stringify({ metadata, spec, status }));
  for (const member of ['name', 'uid', 'resourceVersion', 'creationTimestamp', 'managedFields']) delete copy.metadata[member];
  // Ignores a condition that a slow controller adds, and the times at which controllers added theirs.
  if (copy.status.conditions) copy.status.conditions = copy.status.conditions.filter(({ type }: { type: string }) => type !== APPROVED);
  for (const condition of copy.status.conditions ?? []) {
    if (condition.lastTransitionTime?.startsWith('2026-01-01') !== true) delete condition.lastTransitionTime;
  }
  // Storage does not distinguish an empty list from none.
  if (copy.status.conditions?.length === 0) copy.status.conditions = null;
  const { names, scope, conversion } = copy.spec;
  return { ...copy.metadata, names: Object.values(names), scope, conversion: conversion.strategy, status: copy.status };
}

/** Removes Go dumps of whole objects, which contain memory addresses. */
const shortenValues = (text: string): string =>
  text
    .replace(/(Invalid value: (?:\[\])?apiextensions\.\w+)\{.*\}(: )/, '$1{…}$2')
    // This server names the member that the root of a schema may not have.
    .replace(/(Invalid value: )(?:"[^"]+"|apiextensions\.JSONSchemaProps\{…\})(: only \[)/, '$1{…}$2');

const maskGeneratedName = (text: string): string => text.replace(/"things\.[a-z0-9]{5}"/g, '"things.<random>"');
