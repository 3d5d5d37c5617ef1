# complete.sh WORDS...: prints what bash completes the last word to.
source <(qcc completion bash)
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_qcc 2> /dev/null
echo "${COMPREPLY[*]}"
