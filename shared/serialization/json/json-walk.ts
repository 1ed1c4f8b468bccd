/**
 * Visits the members and numbers of a valid JSON text in order of appearance. Not recursive, because clients choose the
 * depth. Paths are computed on demand and have a limited length.
 */
import { isObject, ownMember, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import { extendPath } from '../../values/field-path';
import { JsonTokens, decodeStringToken } from './json-tokens';

/** Whether the object has a member of the same name before this one. */
export type MemberOccurrence = 'first' | 'repeated';

/** Callbacks of a walk through a JSON text, in the order of the text. */
export interface JsonVisitor {
  /** The parsed value of the text; required for the containers of {@link number}. */
  root?: JsonValue;
  /**
   * Called for each member, before its value. `path` computes its path. Returns `'skip'` to skip the members of its
   * value, `'stop'` to end the walk.
   */
  member?: (path: () => string, key: string, occurrence: MemberOccurrence) => 'skip' | 'stop' | void;
  /**
   * Called for each number literal. `container` is the object or list of {@link root} that contains the number, `key`
   * its member or index there.
   *
   * - Inside a repeated member it is the container in the value that counts, which need not have the key.
   * - It is `undefined` at the top level, without a root, and where the value that counts is no such container.
   */
  number?: (literal: string, container: JsonObject | JsonArray | undefined, key: string | number) => void;
  /** Called at the start of each object and list, with its member or index (`undefined` at the top level). */
  open?: (key: string | number | undefined) => void;
  /** Called at the end of each object and list. */
  close?: () => void;
}

/** A stack frame of the walk: an object or list that has been opened. */
interface Frame {
  readonly isObject: boolean;
  /** The names of an object's members so far; `undefined` before the first. */
  seen: Set<string> | undefined;
  /** The present member or index. */
  key: string | number;
  /** The parsed value, when the visitor has a root. */
  readonly value: JsonObject | JsonArray | undefined;
  /** Whether the next string is the name of a member. */
  isKeyNext: boolean;
  /** The path of the object or list itself; `undefined` until a path below it is computed. */
  path: string | undefined;
}

/** Calls the visitor for the members, numbers and containers of the text. `text` must be valid JSON. */
export function walkMembers(text: string, visitor: JsonVisitor): void {
  const frames: Frame[] = [];
  /** The depth of the member that is skipped with its value: members of deeper frames are not visited. */
  let skipBelow = Infinity;
  const pathOf = (): string => pathText(frames);
  const tokens = new JsonTokens(text);
  for (let token = tokens.next(); token !== ''; token = tokens.next()) {
    const frame = frames.at(-1);
    switch (token) {
      case '{':
      case '[': {
        const value = frame === undefined ? visitor.root : childOf(frame);
        const isObjectFrame = token === '{';
        visitor.open?.(frame?.key);
        frames.push({
          isObject: isObjectFrame,
          seen: undefined,
          key: isObjectFrame ? '' : 0,
          value: isParsedForm(value, isObjectFrame) ? value : undefined,
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
          const key = decodeStringToken(token);
          frame.isKeyNext = false;
          frame.key = key;
          frame.seen ??= new Set();
          const occurrence = frame.seen.has(key) ? 'repeated' : 'first';
          frame.seen.add(key);
          const verdict = frames.length < skipBelow ? visitor.member?.(pathOf, key, occurrence) : undefined;
          if (verdict === 'stop') return;
          if (verdict === 'skip') skipBelow = frames.length;
        } else if (isNumber(token)) visitor.number?.(token, frame?.value, frame?.key ?? '');
    }
  }
}

/** Whether it is an object or list as in the text: a repeated member may have a value of another type. */
const isParsedForm = (value: JsonValue | undefined, isObjectText: boolean): value is JsonObject | JsonArray =>
  isObjectText ? isObject(value) : Array.isArray(value);

function isNumber(token: string): boolean {
  const first = token.charAt(0);
  return first === '-' || (first >= '0' && first <= '9');
}

/**
 * The path of the current member of the innermost frame. The path of each frame is cached, so that the cost of another
 * member does not depend on its depth.
 */
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
  return frame.value === undefined ? undefined : ownMember(frame.value, String(frame.key));
}
