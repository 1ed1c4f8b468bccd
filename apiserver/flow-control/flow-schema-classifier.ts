/**
 * Finds the FlowSchema of a request: the first one, by precedence and name, that has a rule for the user and the
 * request attributes. Parsing the rules is left to flow-schema.ts.
 */
import type { UserInfo } from '../../shared/api/identity/user';
import type { RequestAttributes, RequestMatcher, FlowSchema } from './flow-schema';

/** A schema with those of its rules that match one user. */
interface Candidate<S> {
  readonly schema: S;
  readonly rules: readonly RequestMatcher[];
}

/** Immutable: a change of a schema needs a new classifier. */
export class FlowSchemaClassifier<S extends FlowSchema> {
  /** By `matchingPrecedence`, then by name. */
  private readonly ordered: readonly S[];
  /** Keyed by the user object, because authentication returns one cached object for many requests of a user. */
  private readonly candidatesByUser = new WeakMap<UserInfo, readonly Candidate<S>[]>();

  constructor(schemas: Iterable<S>) {
    this.ordered = [...schemas].sort((a, b) => a.precedence - b.precedence || (a.name < b.name ? -1 : 1));
  }

  /** Returns `undefined` when no schema matches. */
  classify(user: UserInfo, attributes: RequestAttributes): S | undefined {
    for (const { schema, rules } of this.candidatesFor(user)) {
      for (const matches of rules) if (matches(attributes)) return schema;
    }
    return undefined;
  }

  private candidatesFor(user: UserInfo): readonly Candidate<S>[] {
    const cached = this.candidatesByUser.get(user);
    if (cached !== undefined) return cached;
    const candidates: Candidate<S>[] = [];
    for (const schema of this.ordered) {
      const rules = schema.rulesFor(user);
      if (rules !== undefined) candidates.push({ schema, rules });
    }
    this.candidatesByUser.set(user, candidates);
    return candidates;
  }
}
