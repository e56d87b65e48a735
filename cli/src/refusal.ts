/** Why something was not done, as a sentence for the person who asked. Anything else that is thrown is a bug. */
export class Refusal extends Error {}
