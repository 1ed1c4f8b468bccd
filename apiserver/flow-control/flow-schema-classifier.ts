/** Which flow schema a request falls under: the first that speaks of its user and of what is asked for. Knows nothing of how busy anyone is. */
import type { UserInfo } from '../../shared/api/identity/user';
import type { Asked, AskedFor, FlowSchema } from './flow-schema';

/** A schema, and which of its rules speak of a user. */
interface Candidate<S> {
  readonly schema: S;
  readonly rules: readonly AskedFor[];
}

/** In the order in which they are looked at: of equal precedence by name. */
export class Classification<S extends FlowSchema> {
  private readonly ordered: readonly S[];
  /** Users that are known stay the same objects over many requests. */
  private readonly byUser = new WeakMap<UserInfo, readonly Candidate<S>[]>();

  constructor(schemas: Iterable<S>) {
    this.ordered = [...schemas].sort((a, b) => a.precedence - b.precedence || (a.name < b.name ? -1 : 1));
  }

  find(user: UserInfo, asked: Asked): S | undefined {
    for (const { schema, rules } of this.candidates(user)) {
      for (const matches of rules) if (matches(asked)) return schema;
    }
    return undefined;
  }

  private candidates(user: UserInfo): readonly Candidate<S>[] {
    let known = this.byUser.get(user);
    if (known === undefined) {
      known = this.ordered.flatMap((schema) => {
        const rules = schema.of(user);
        return rules === undefined ? [] : [{ schema, rules }];
      });
      this.byUser.set(user, known);
    }
    return known;
  }
}
