/** Proxy and certificate variables of this machine, which the tests pass on. */
export const machineEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^(NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|(HTTPS?|NO)_PROXY)$/i.test(name)),
)
