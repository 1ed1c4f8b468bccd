/** How the steps that read a body tell what is wrong with it. */

/** What is wrong with a body, before it is put into an answer: a body and a patched object say it in different answers. */
export class BodyFault extends Error {
  override readonly name = 'BodyFault';
}
