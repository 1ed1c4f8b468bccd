/** Walks the members and numbers of a valid JSON text in the order of the text, with their paths. A loop: depth is the client's choice. */
import { isObject, own, type JsonArray, type JsonObject, type JsonValue } from '../values/json';

export interface Visitor {
  /** The parsed text; with it `number` is told the container that it stands in. */
  root?: JsonValue;
  /** Each member, before its value. `path` makes the text of its path. True = do not look into its value. */
  member?: (path: () => string, isRepeated: boolean) => boolean | void;
  /** Each number as spelled, with its container and member or index (undefined at the top, or where a repeated member hides it). */
  number?: (spelled: string, container: JsonObject | JsonArray | undefined, key: string | number) => void;
}

interface Frame {
  /** Seen members of an object, undefined for an array. */
  seen: Set<string> | undefined;
  key: string | number;
  value: JsonObject | JsonArray | undefined;
  isKeyNext: boolean;
}

export function walkMembers(text: string, visitor: Visitor): void {
  const frames: Frame[] = [];
  let skipBelow = Infinity;
  const pathOf = (): string => {
    let path = '';
    for (const { key } of frames) path += typeof key === 'number' ? `[${key}]` : `${path === '' ? '' : '.'}${key}`;
    return path;
  };
  const tokens = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\],]/gs;
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    const spelled = token[0];
    const frame = frames.at(-1);
    switch (spelled) {
      case '{':
      case '[': {
        const value = frame === undefined ? visitor.root : childOf(frame);
        const isObjectFrame = spelled === '{';
        frames.push({
          seen: isObjectFrame ? new Set() : undefined,
          key: isObjectFrame ? '' : 0,
          value: isObject(value) || Array.isArray(value) ? value : undefined,
          isKeyNext: isObjectFrame,
        });
        break;
      }
      case '}':
      case ']':
        frames.pop();
        if (frames.length < skipBelow) skipBelow = Infinity;
        break;
      case ',':
        if (frame?.seen !== undefined) frame.isKeyNext = true;
        else if (frame !== undefined && typeof frame.key === 'number') frame.key += 1;
        if (frames.length <= skipBelow) skipBelow = Infinity;
        break;
      default:
        if (frame?.isKeyNext === true && frame.seen !== undefined) {
          const key: unknown = JSON.parse(spelled);
          if (typeof key !== 'string') break;
          frame.isKeyNext = false;
          frame.key = key;
          if (frames.length < skipBelow && visitor.member?.(pathOf, frame.seen.has(key)) === true) skipBelow = frames.length;
          frame.seen.add(key);
        } else if (!spelled.startsWith('"')) visitor.number?.(spelled, frame?.value, frame?.key ?? '');
    }
  }
}

function childOf(frame: Frame): JsonValue | undefined {
  if (Array.isArray(frame.value)) return frame.value[Number(frame.key)];
  return frame.value === undefined ? undefined : own(frame.value, String(frame.key));
}
