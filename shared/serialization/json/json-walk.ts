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
  new MemberWalk(visitor).run(text);
}

/** One walk through a text. */
class MemberWalk {
  /** The open objects and lists, the outermost first. */
  private readonly frames: Frame[] = [];
  /** The depth of the member that is skipped with its value: members of deeper frames are not visited. */
  private skipBelow = Infinity;
  private readonly currentPath = (): string => pathText(this.frames);

  constructor(private readonly visitor: JsonVisitor) {}

  run(text: string): void {
    const tokens = new JsonTokens(text);
    for (let token = tokens.next(); token !== ''; token = tokens.next()) {
      switch (token) {
        case '{':
        case '[':
          this.open(token);
          break;
        case '}':
        case ']':
          this.close();
          break;
        case ',':
          this.passComma();
          break;
        case ':':
          break;
        default:
          if (this.visitScalar(token) === 'stop') return;
      }
    }
  }

  private open(token: '{' | '['): void {
    const parent = this.frames.at(-1);
    const value = parent === undefined ? this.visitor.root : childOf(parent);
    const isObjectFrame = token === '{';
    this.visitor.open?.(parent?.key);
    this.frames.push({
      isObject: isObjectFrame,
      seen: undefined,
      key: isObjectFrame ? '' : 0,
      value: isParsedForm(value, isObjectFrame) ? value : undefined,
      isKeyNext: isObjectFrame,
      path: undefined,
    });
  }

  private close(): void {
    this.visitor.close?.();
    this.frames.pop();
    if (this.frames.length < this.skipBelow) this.skipBelow = Infinity;
  }

  /** Continues with the next member or item. */
  private passComma(): void {
    const frame = this.frames.at(-1);
    if (frame?.isObject === true) frame.isKeyNext = true;
    else if (frame !== undefined && typeof frame.key === 'number') frame.key += 1;
    if (this.frames.length <= this.skipBelow) this.skipBelow = Infinity;
  }

  /** A string, number or literal: the name of a member where one is expected. */
  private visitScalar(token: string): 'stop' | undefined {
    const frame = this.frames.at(-1);
    if (frame?.isKeyNext === true) return this.visitName(frame, decodeStringToken(token));
    if (isNumber(token)) this.visitor.number?.(token, frame?.value, frame?.key ?? '');
    return undefined;
  }

  private visitName(frame: Frame, name: string): 'stop' | undefined {
    frame.isKeyNext = false;
    frame.key = name;
    frame.seen ??= new Set();
    const occurrence = frame.seen.has(name) ? 'repeated' : 'first';
    frame.seen.add(name);
    if (this.frames.length >= this.skipBelow) return undefined;
    const verdict = this.visitor.member?.(this.currentPath, name, occurrence);
    if (verdict === 'skip') this.skipBelow = this.frames.length;
    return verdict === 'stop' ? 'stop' : undefined;
  }
}

/** Whether the value is an object or list as in the text: a repeated member may have a value of another type. */
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
