/** The behaviour of an autoscaler as version 1 writes it into an annotation: the names begin with capitals, and nothing is left out. */
import { isObject, objectAt, own, stringifyJson, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import { decodeObject } from '../types/decode';
import { DecodeError } from '../types/decode-error';
import { parseText } from '../metadata/carried-annotations';

const TYPE = 'autoscaling.v2.HorizontalPodAutoscalerBehavior';

/** In the order in which they are written. */
const DIRECTIONS = ['scaleUp', 'scaleDown'] as const;
const RULES = ['stabilizationWindowSeconds', 'selectPolicy', 'policies'] as const;
const POLICY = ['type', 'value', 'periodSeconds'] as const;

export function writeBehavior(behavior: JsonObject): string {
  return stringifyJson(
    capitalised(behavior, DIRECTIONS, (rules) =>
      isObject(rules)
        ? capitalised(rules, RULES, (value) =>
            Array.isArray(value)
              ? value.map((policy) => (isObject(policy) ? capitalised(policy, POLICY, (member) => member) : policy))
              : value,
          )
        : rules,
    ),
  );
}

function capitalised(object: JsonObject, members: readonly string[], convert: (value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(
    members.map((member) => [member.charAt(0).toUpperCase() + member.slice(1), convert(own(object, member) ?? null)] as const),
  );
}

const SPELLED: ReadonlyMap<string, string> = new Map([...DIRECTIONS, ...RULES, ...POLICY].map((member) => [member.toLowerCase(), member]));

/** Undefined when the text says nothing, or nothing that can be read. */
export function readBehavior(text: string): JsonObject | undefined {
  const value = parseText(text);
  try {
    const { object } = decodeObject(TYPE, isObject(value) ? uncapitalised(value) : {});
    return DIRECTIONS.some((direction) => objectAt(object, direction) !== undefined) ? object : undefined;
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

function uncapitalised(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([member, value]) => [SPELLED.get(member.toLowerCase()) ?? member, uncapitalisedValue(value)] as const),
  );
}

function uncapitalisedValue(value: JsonValue): JsonValue {
  if (!Array.isArray(value)) return isObject(value) ? uncapitalised(value) : value;
  const items: JsonArray = value.map(uncapitalisedValue);
  return items;
}
