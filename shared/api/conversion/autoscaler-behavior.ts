/**
 * The behavior of a HorizontalPodAutoscaler in the annotation of version v1 (autoscaler.ts). Upstream encodes it there
 * without JSON tags: field names are capitalised, and absent fields are null instead of omitted.
 */
import { isObject, objectAt, ownMember, stringifyJson, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import { decodeObject } from '../types/decode';
import { DecodeError } from '../types/decode-error';
import { capitalize } from '../../values/text/capitalize';
import { parseAnnotationJson } from '../metadata/carried-annotations';

const TYPE = 'autoscaling.v2.HorizontalPodAutoscalerBehavior';

/** In the order of the annotation. */
const DIRECTIONS = ['scaleUp', 'scaleDown'] as const;
const RULE_MEMBERS = ['stabilizationWindowSeconds', 'selectPolicy', 'policies'] as const;
const POLICY_MEMBERS = ['type', 'value', 'periodSeconds'] as const;

/** The text of the annotation. */
export const writeBehavior = (behavior: JsonObject): string => stringifyJson(capitaliseMembers(behavior, DIRECTIONS, writeRules));

function writeRules(rules: JsonValue): JsonValue {
  return isObject(rules) ? capitaliseMembers(rules, RULE_MEMBERS, writeRuleMember) : rules;
}

function writeRuleMember(value: JsonValue): JsonValue {
  if (!Array.isArray(value)) return value;
  return value.map((policy) => (isObject(policy) ? capitaliseMembers(policy, POLICY_MEMBERS, (member) => member) : policy));
}

/** An object with exactly the given members, under capitalised names; absent ones are null. */
function capitaliseMembers(object: JsonObject, members: readonly string[], convert: (value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(members.map((member) => [capitalize(member), convert(ownMember(object, member) ?? null)] as const));
}

const NAME_BY_LOWER_CASE: ReadonlyMap<string, string> = new Map(
  [...DIRECTIONS, ...RULE_MEMBERS, ...POLICY_MEMBERS].map((member) => [member.toLowerCase(), member]),
);

/** The behavior; `undefined` when the text specifies none or cannot be decoded. Names in any case are accepted, as in Go. */
export function readBehavior(text: string): JsonObject | undefined {
  const value = parseAnnotationJson(text);
  try {
    const { object } = decodeObject(TYPE, isObject(value) ? uncapitaliseMembers(value) : {});
    return DIRECTIONS.some((direction) => objectAt(object, direction) !== undefined) ? object : undefined;
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

function uncapitaliseMembers(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(
      ([member, value]) => [NAME_BY_LOWER_CASE.get(member.toLowerCase()) ?? member, uncapitaliseValue(value)] as const,
    ),
  );
}

function uncapitaliseValue(value: JsonValue): JsonValue {
  if (!Array.isArray(value)) return isObject(value) ? uncapitaliseMembers(value) : value;
  const items: JsonArray = value.map(uncapitaliseValue);
  return items;
}
