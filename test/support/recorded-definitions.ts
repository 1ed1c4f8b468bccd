/** Recorded answers to CustomResourceDefinitions: what of an answer is kept, for those who make the recording and those who replay it. */
import { createHash } from 'node:crypto';
import { body, either, listOf, tupleOf, text, type Check } from '../replay/shape';
import { shortenPatterns } from '../replay/normalize-answer';

/** Causes as `<field> <reason> <message>`; or, where there are none, what became of the object. */
export type DefinitionAnswer = readonly string[] | object | string;

/** The title of a case, or the seed of a random schema, and what was said to it. */
export const isDefinitionCase: Check<readonly [title: string, answer: DefinitionAnswer]> = tupleOf(
  text,
  either(text, either(listOf(text), body)),
);

export interface Answered {
  readonly code: number;
  readonly message: string;
  readonly causes: readonly (readonly string[])[];
  readonly object: Readonly<Record<string, unknown>>;
}

export function definitionAnswer({ code, message, causes, object }: Answered): DefinitionAnswer {
  if (code === 201) return 'created';
  if (code === 200) return kept(object);
  if (causes.length === 0) return `${code} ${message}`;
  return causes.map((cause) => generated(shortenValues(shortenPatterns(cause.join(' ')))));
}

const APPROVED = 'KubernetesAPIApprovalPolicyConformant';

/** What an update may change, without what is new in every run. */
function kept({ metadata, spec, status }: Readonly<Record<string, unknown>>): object {
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

const generated = (text: string): string => text.replace(/"things\.[a-z0-9]{5}"/g, '"things.<random>"');

/** Of causes that come in no fixed order. */
export function answerDigest(answer: DefinitionAnswer): string {
  if (!Array.isArray(answer)) return typeof answer === 'string' ? answer : JSON.stringify(answer);
  return createHash('sha256').update(answer.map(String).sort().join('\n')).digest('hex').slice(0, 10);
}
