/** An expected error, with a message for the user. Anything else that is thrown is a bug. */
export class CliError extends Error {}
