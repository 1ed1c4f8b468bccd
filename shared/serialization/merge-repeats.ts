/**
 * Reads a valid JSON text whose objects repeat members the way upstream's typed decoder does: an object said again is merged into the first one, a
 * list said again is merged item by item and takes the later one's length, everything else replaces. Judges nothing.
 */
import { isObject, own, setMember, type JsonArray, type JsonObject, type JsonValue } from '../values/json';
import { JsonTokens, decodeStringToken } from './json-tokens';

/** As deep as the text is, so is the recursion: the caller bounds it. */
export function parseMergingRepeats(text: string): JsonValue {
  return new MergingReader(text).value(undefined);
}

const parseText: (text: string) => JsonValue = JSON.parse;

class MergingReader {
  private readonly tokens: JsonTokens;
  private token = '';

  constructor(text: string) {
    this.tokens = new JsonTokens(text);
    this.next();
  }

  private next(): void {
    this.token = this.tokens.next();
  }

  /** `earlier` = what stands in its place so far. */
  value(earlier: JsonValue | undefined): JsonValue {
    const { token } = this;
    this.next();
    if (token === '{') return this.members(isObject(earlier) ? earlier : {});
    if (token === '[') return this.items(Array.isArray(earlier) ? earlier : []);
    return parseText(token);
  }

  private members(target: JsonObject): JsonObject {
    while (this.token !== '}' && this.token !== '') {
      const member = decodeStringToken(this.token);
      this.next();
      this.next();
      setMember(target, member, this.value(own(target, member)));
      if (this.token === ',') this.next();
    }
    this.next();
    return target;
  }

  private items(earlier: JsonArray): JsonArray {
    const items: JsonArray = [];
    while (this.token !== ']' && this.token !== '') {
      items.push(this.value(earlier[items.length]));
      if (this.token === ',') this.next();
    }
    this.next();
    return items;
  }
}
