/**
 * Walks the members and numbers of a valid JSON text in the order of the text, with their paths. A loop: depth is the client's choice. A path is made
 * only when somebody asks for it, and only as long as somebody would read it.
 */
import { isObject, own, type JsonArray, type JsonObject, type JsonValue } from '../values/json';
import { extendPath } from '../values/field-path';
import { JsonTokens, decodeStringToken } from './json-tokens';

export interface JsonVisitor {
  /** The parsed text; with it `number` is told the container that it stands in. */
  root?: JsonValue;
  /** Each member, before its value. `path` makes the text of its path. 'skip' = do not look into its value, 'stop' = that was enough. */
  member?: (path: () => string, key: string, isRepeated: boolean) => 'skip' | 'stop' | void;
  /** Each number as spelled, with its container and member or index (undefined at the top, or where a repeated member hides it). */
  number?: (spelled: string, container: JsonObject | JsonArray | undefined, key: string | number) => void;
  /** What is opened and closed, with the member or index under which it stands (undefined at the top). */
  open?: (key: string | number | undefined) => void;
  close?: () => void;
}

interface Frame {
  readonly isObject: boolean;
  /** Seen members of an object. */
  seen: Set<string> | undefined;
  key: string | number;
  readonly value: JsonObject | JsonArray | undefined;
  isKeyNext: boolean;
  /** Text of the path to the object or list itself; undefined until a path below it is asked for. */
  path: string | undefined;
}

export function walkMembers(text: string, visitor: JsonVisitor): void {
  const frames: Frame[] = [];
  let skipBelow = Infinity;
  const pathOf = (): string => pathText(frames);
  const tokens = new JsonTokens(text);
  for (let spelled = tokens.next(); spelled !== ''; spelled = tokens.next()) {
    const frame = frames.at(-1);
    switch (spelled) {
      case '{':
      case '[': {
        const value = frame === undefined ? visitor.root : childOf(frame);
        const isObjectFrame = spelled === '{';
        visitor.open?.(frame?.key);
        frames.push({
          isObject: isObjectFrame,
          seen: undefined,
          key: isObjectFrame ? '' : 0,
          value: isObject(value) || Array.isArray(value) ? value : undefined,
          isKeyNext: isObjectFrame,
          path: undefined,
        });
        break;
      }
      case '}':
      case ']':
        visitor.close?.();
        frames.pop();
        if (frames.length < skipBelow) skipBelow = Infinity;
        break;
      case ':':
        break;
      case ',':
        if (frame?.isObject === true) frame.isKeyNext = true;
        else if (frame !== undefined && typeof frame.key === 'number') frame.key += 1;
        if (frames.length <= skipBelow) skipBelow = Infinity;
        break;
      default:
        if (frame?.isKeyNext === true) {
          const key = decodeStringToken(spelled);
          frame.isKeyNext = false;
          frame.key = key;
          frame.seen ??= new Set();
          const isRepeated = frame.seen.has(key);
          frame.seen.add(key);
          const verdict = frames.length < skipBelow ? visitor.member?.(pathOf, key, isRepeated) : undefined;
          if (verdict === 'stop') return;
          if (verdict === 'skip') skipBelow = frames.length;
        } else if (isNumber(spelled)) visitor.number?.(spelled, frame?.value, frame?.key ?? '');
    }
  }
}

function isNumber(spelled: string): boolean {
  const first = spelled.charAt(0);
  return first === '-' || (first >= '0' && first <= '9');
}

/** The path to the current member of the innermost frame. The path of each frame is made once: one more member of a deep object costs one step, not one a level. */
function pathText(frames: readonly Frame[]): string {
  let known = frames.length - 1;
  while (known > 0 && frames[known]?.path === undefined) known -= 1;
  let path = frames[known]?.path ?? '';
  for (const frame of frames.slice(known)) {
    frame.path = path;
    path = extendPath(path, frame.key);
  }
  return path;
}

function childOf(frame: Frame): JsonValue | undefined {
  if (Array.isArray(frame.value)) return frame.value[Number(frame.key)];
  return frame.value === undefined ? undefined : own(frame.value, String(frame.key));
}
