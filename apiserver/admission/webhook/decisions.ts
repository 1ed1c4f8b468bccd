/**
 * What the authorizer says to the expressions of one request. Expressions do not wait: where the authorizer takes its time, the evaluation is given up, and done again
 * when the answer is there. Every question is asked once.
 */
import type { AuthorizationDecision, AuthorizationRequest, Authorize } from '../../../shared/expression/library/authorizer';
import { serviceAccountGroups, serviceAccountUserName, type UserInfo } from '../../../shared/api/identity/user';
import type { MaybePromise } from '../../../shared/runtime/maybe-promise';
import { errorMessage } from '../../../shared/runtime/error-message';
import { canonicalGroup } from '../../../shared/names/dialect';

export type AskAuthorizer = (user: UserInfo, question: AuthorizationRequest) => MaybePromise<AuthorizationDecision>;

/** Thrown through an evaluation, which is done again when the answer is there. */
export class Unanswered extends Error {
  constructor(readonly answer: Promise<void>) {
    super('somebody has not answered yet');
  }
}

/** Expressions that the price of a question does not hold back ask no more than so many different ones for a request. */
const MOST_QUESTIONS = 256;
const TOO_MANY: AuthorizationDecision = { allowed: false, reason: '', error: `more than ${MOST_QUESTIONS} questions to the authorizer` };

export class Decisions {
  private readonly answers = new Map<string, AuthorizationDecision>();

  constructor(
    private readonly authorize: AskAuthorizer,
    private readonly user: UserInfo,
  ) {}

  readonly ask: Authorize = (question, account) => {
    const key = JSON.stringify([question, account]);
    const known = this.answers.get(key);
    if (known !== undefined) return known;
    if (this.answers.size >= MOST_QUESTIONS) return TOO_MANY;
    const asked = question.kind === 'path' ? question : { ...question, group: canonicalGroup(question.group) };
    const answer = this.authorize(account === undefined ? this.user : userOf(account), asked);
    if (answer instanceof Promise)
      throw new Unanswered(
        answer.then(
          (decided) => void this.answers.set(key, decided),
          (error: unknown) => void this.answers.set(key, { allowed: false, reason: '', error: errorMessage(error) }),
        ),
      );
    this.answers.set(key, answer);
    return answer;
  };
}

const userOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }): UserInfo => ({
  name: serviceAccountUserName(namespace, name),
  groups: [...serviceAccountGroups(namespace), 'system:authenticated'],
});
