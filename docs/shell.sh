# For bash and zsh: `output NAME` prints an output of the stack, `call URL [CURL OPTIONS]` calls its HTTP API, signed, and `$api` is the API's URL.
# STACK names a deployed stack, with the region and the credentials of the AWS CLI (version 2). Without it they are about the local run, whose
# outputs are in the file OUTPUTS (.local/outputs.json). curl 7.76 or newer is needed.
OUTPUTS=${OUTPUTS-.local/outputs.json}

if [ -n "${STACK-}" ]; then
  export AWS_REGION=${AWS_REGION-${AWS_DEFAULT_REGION-$(aws configure get region)}}
  eval "$(aws configure export-credentials --format env)"
fi

output() {
  if [ -n "${STACK-}" ]; then
    aws cloudformation describe-stacks --stack-name "$STACK" \
      --query "Stacks[0].Outputs[?OutputKey=='$1'].OutputValue" --output text
  else
    sed -n 's/^ *"'"$1"'": "\(.*\)",\{0,1\}$/\1/p' "$OUTPUTS"
  fi
}

call() {
  curl -sS --fail-with-body -w '\n' --aws-sigv4 "aws:amz:${AWS_REGION-us-east-1}:execute-api" \
    --user "${AWS_ACCESS_KEY_ID-local}:${AWS_SECRET_ACCESS_KEY-local}" \
    ${AWS_SESSION_TOKEN:+-H "x-amz-security-token: $AWS_SESSION_TOKEN"} "$@"
}

api=${API_URL-$(output ApiUrl)}
