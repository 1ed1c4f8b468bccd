/** What admission has stored with an object, as a part of an attempt: it joins the transaction, and whoever reserved it is told how that ended. Decides nothing. */
import type { AdmissionRequest, Reservation } from '../admission';
import type { Attempt } from './guaranteed-update';
import type { AttemptPath } from './request';

/** Runs what is left of an attempt. Where that goes wrong, what was reserved is given back. */
export async function withReservation<R>(
  { admission }: Pick<AttemptPath, 'admission'>,
  request: AdmissionRequest,
  rest: (reservation: Reservation | undefined) => Promise<Attempt<R>>,
): Promise<Attempt<R>> {
  const pending = admission.reserve(request);
  const reservation = pending === undefined ? undefined : await pending;
  try {
    return await rest(reservation);
  } catch (error) {
    reservation?.over();
    throw error;
  }
}

/** The attempt with what was reserved. */
export function reserving<R>(attempt: Attempt<R>, reservation: Reservation | undefined): Attempt<R> {
  if (reservation === undefined) return attempt;
  if (attempt.type === 'answer') {
    reservation.over();
    return attempt;
  }
  const { writes, over } = reservation;
  return {
    ...attempt,
    alongside: [...(attempt.alongside ?? []), ...writes],
    finish(revision) {
      over(revision);
      return attempt.finish(revision);
    },
  };
}
