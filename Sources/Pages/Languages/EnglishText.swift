/// The sentences of config/languages/en.txt, written here by Tests/ConfigurationTests/embed_languages.py.
enum EnglishText {
    static let text = """
        # What the gateway's own pages say, in English: one sentence a line, a key before the colon.
        #
        # To add a language, copy this file to a folder of yours under the name of the language (fr.txt, \
        pt-BR.txt), translate
        # what stands behind the colons, and name the folder in  pages.languages . What a file leaves out is said \
        in English.
        # Sentences are text: markup in them appears as it is written.

        # On every page
        page.error: Error
        page.request_id: Request id
        page.decision_id: Decision id
        page.contact: Contact
        page.advice: What you can do
        page.causes: What is probably wrong
        page.by_itself: This page tries again by itself.
        page.posted: What you sent may not have arrived. Check before you send it again.
        action.again: Try again
        action.start: Back to the start page
        action.site: Go to the site
        action.other: Sign in as somebody else
        action.sign_out: Sign out
        action.go_on: Go on

        # A request that was refused
        bad_request.title: This request could not be understood
        bad_request.story: Your browser sent something that this site does not accept. Nothing was done.
        bad_request.advice.1: If you followed a link or typed the address, check that it is complete.
        bad_request.advice.2: If it happens again, delete this site's cookies, or try another browser.
        programs.title: This address is for programs
        programs.story: It takes requests with an access token, which a browser does not send.
        programs.advice.1: If you wanted to see a page, check the address.
        forbidden.title: Your account may not see this page
        forbidden.story: You are signed in, but your account lacks the right to do this.
        forbidden.advice.1: If you have another account, sign in as that one.
        forbidden.advice.2: If you should have access, ask the people who run this site.
        not_allowed.title: This is not allowed
        not_allowed.story: The address exists, but not for you, or not in this way.
        not_allowed.advice.1: If you should have access, ask the people who run this site.
        cross_site.title: This request came from another site
        cross_site.story: Another site, or an old browser, asked for something in your name. To protect you it was \
        not done.
        cross_site.advice.1: If you wanted this yourself, go to the site directly and do it there.
        not_found.title: There is nothing here
        not_found.story: This address does not exist, or does not exist any more.
        not_found.advice.1: Check the address, or begin at the start page.
        not_found.advice_without_start.1: Check the address.
        method.title: This cannot be asked for in this way
        method.story: The address exists, but not for this kind of request.
        method.advice.1: If you sent a form, go back to its page and send it from there.
        too_slow.title: That took too long
        too_slow.story: Your connection was too slow to send everything in time. Nothing was done.
        too_slow.advice.1: Check your connection, then try again.
        too_large.title: What you sent is too large
        too_large.story: This site does not take as much at once. Nothing was done.
        too_large.advice.1: Send a smaller file, or several one after the other.
        long_address.title: The address is too long
        long_address.story: This site cannot read an address of this length.
        long_address.advice.1: Begin at the start page and go on from there.
        long_address.advice_without_start.1: Open the page by a shorter address, or go back to where you came \
        from.
        cookies.title: Your browser sends too much
        cookies.story: Cookies of this site have piled up in your browser until there is no room for the request.
        cookies.advice.1: Delete the cookies of this site, then try again. You may have to sign in once more.
        other_host.title: This site has another address
        other_host.story: The server is here, but the site is not to be found under the name that you opened.
        other_host.advice.1: Go on from here, and renew your bookmark.
        other_host.advice_without_start.1: Check the address, or ask whoever gave it to you.
        too_many.title: Too many requests
        too_many.story: This was asked for too often within a short time.
        too_many.advice.1: Wait a minute, then try again.
        circle.title: This address leads in a circle
        circle.story: The request came back to where it had been before. You did nothing wrong.
        circle.advice.1: Tell the people who run this site, and give them the request id below.
        app_down.title: The application does not answer properly
        app_down.story: You reached this site, but what is behind it could not answer. You did nothing wrong.
        app_down.advice.1: Wait a minute, then try again.
        app_down.advice.2: If it goes on, tell the people who run this site, and give them the request id below.
        app_slow.title: The application takes too long
        app_slow.story: You reached this site, but what is behind it did not answer in time. You did nothing \
        wrong.
        app_slow.advice.1: Wait a minute, then try again.
        app_slow.advice.2: If it goes on, tell the people who run this site, and give them the request id below.
        busy.title: There is too much to do right now
        busy.story: More people than usual are here. You did nothing wrong.
        busy.advice.1: Wait a minute, then try again.
        check_down.title: We cannot check who you are right now
        check_down.story: A service that this page depends on does not answer at the moment. You did nothing \
        wrong.
        check_down.advice.1: Wait a minute, then try again. Nothing is lost.
        plain_http.title: This site is reached with https://
        plain_http.story: The address was opened with http://, which everybody on the way can read and change. \
        Nothing was done.
        plain_http.advice.1: Go on from here, and renew your bookmark.

        # Signing in: before the authorization server
        start_malformed.title: This sign-in link does not work
        start_malformed.story: The address that was opened to sign in is incomplete, or it is not allowed here.
        start_malformed.advice.1: Open the page that you wanted to see, and sign in from there.
        start_malformed.advice.2: If you came from a bookmark or a link in a message, it may be out of date.
        start_malformed.action: Sign in
        loop.title: Signing in keeps starting over
        loop.story: You have signed in several times within a minute, and each time this site did not recognise \
        your browser afterwards. We have stopped here, so that it does not go round in circles.
        loop.causes.1: Cookies: your browser does not send back the cookie that keeps you signed in. Allow cookies \
        for this site, and switch off extensions that block them.
        loop.causes.2: The clock: the date or the time of your device is wrong. Have it set automatically.
        loop.causes.3: The address: the page was opened with http:// instead of https://, or under another name \
        than usual. Type the usual address with https:// in front.
        loop.causes.4: If none of this fits, wait a minute, try once more, and then tell the people who run this \
        site.
        loop.action: Try once more
        server_down.title: Signing in is not possible right now
        server_down.story: The service that checks who you are does not answer at the moment. You did nothing \
        wrong.
        server_down.advice.1: Wait a minute, then try again.
        server_down.advice.2: If it goes on, tell the people who run this site.
        misconfigured.title: Signing in does not work here
        misconfigured.story: This site and the service that checks who you are do not understand each other. You \
        did nothing wrong, and it will probably not go away by itself.
        misconfigured.advice.1: Tell the people who run this site, and give them the request id below: it leads \
        them to the cause.
        session_too_large.title: Signing in does not work here
        session_too_large.story: You were signed in, but what this site has to remember of you is more than a \
        browser can keep. You did nothing wrong.
        session_too_large.advice.1: Tell the people who run this site, and give them the request id below: it \
        leads them to the cause.

        # Signing in: on the way back
        not_trusted.title: This sign-in could not be trusted
        not_trusted.story: What came back is not what this site expects from the service that checks who you are. \
        It was not used, and you are not signed in.
        not_trusted.advice.1: Start again from here. Do not follow the link that brought you to this page, if \
        somebody sent it to you.
        not_trusted.advice.2: If it happens again, tell the people who run this site.
        not_trusted.action: Sign in again
        not_verified.title: This sign-in could not be verified
        not_verified.story: The proof of who you are did not pass the checks of this site. It was not used, and \
        you are not signed in.
        not_verified.advice.1: Try again.
        not_verified.advice.2: If it happens again, tell the people who run this site: a clock may be wrong on one \
        side.
        not_verified.action: Sign in again
        unknown.title: We could not match this sign-in to your browser
        unknown.story: You came back from signing in, but this browser did not bring the cookie that was set when \
        it began. So we cannot be sure that it was you who began it.
        unknown.causes.1: Cookies: they are blocked or were deleted in the meantime. Allow cookies for this site.
        unknown.causes.2: The browser: you began in another one, in a private window, or inside an app. Stay in \
        one browser until you are back.
        unknown.causes.3: The address: the page was opened with http:// instead of https://. Cookies for signing \
        in travel over https:// alone.
        unknown.causes.4: The sign-in page was kept as a bookmark, or left open for a long time. Begin from the \
        page you want to see.
        unknown.action: Sign in again
        expired.title: Signing in took too long
        expired.story: For your safety a sign-in has to be finished within ten minutes of its beginning. You are \
        not signed in yet.
        expired.advice.1: Start again; it is usually quick the second time.
        expired.advice.2: If you were quick, the clock of your device or of the server may be wrong.
        expired.action: Sign in again
        used.title: This sign-in was used already
        used.story: Each sign-in works once. You may have gone back in your browser, or loaded a page twice.
        used.advice.1: If you are signed in by now, simply open the page you want to see.
        used.advice.2: Otherwise sign in again.
        used.action: Go on
        denied.title: You were not signed in
        denied.story: Signing in was cancelled, or your account may not use this site.
        denied.advice.1: If you cancelled by mistake, try again.
        denied.advice.2: If you should have access, ask the people who run this site, or try another account.
        denied.action: Sign in again
        response_error.title: Signing in did not work
        response_error.story: The service that checks who you are reported a problem. You are not signed in.
        response_error.advice.1: Try again.
        response_error.advice.2: If it happens again, give the request id below to the people who run this site.
        response_error.action: Sign in again
        code_refused.title: This sign-in is no longer good
        code_refused.story: It was not finished in time, or it was used before. You are not signed in.
        code_refused.advice.1: Start again; it is usually quick the second time.
        code_refused.action: Sign in again
        scope_missing.title: A permission is missing
        scope_missing.story: You signed in, but this site was not given all it needs to work for you.
        scope_missing.advice.1: Sign in again, and agree to all that is asked for.
        scope_missing.advice.2: If you were not asked, your account may lack a right: ask the people who run this \
        site.
        scope_missing.action: Sign in again
        insufficient.title: A stronger sign-in is needed
        insufficient.story: This page wants you to sign in more recently or in a safer way, for example with a \
        second factor.
        insufficient.advice.1: Sign in again, and use your second factor when you are asked for it.
        insufficient.advice.2: If your account has none yet, set it up first.
        insufficient.action: Sign in again

        # Sessions and logouts
        session_down.title: We cannot check your sign-in right now
        session_down.story: You are still signed in, but a service that this page depends on does not answer at \
        the moment.
        session_down.advice.1: Wait a minute, then try again. Nothing is lost: you need not sign in again.
        still_signed_in.title: You are still signed in
        still_signed_in.story: Signing out did not work, because a service that this site depends on does not \
        answer at the moment.
        still_signed_in.advice.1: Wait a minute, then sign out once more. Until then, do not leave this device to \
        others.
        still_signed_in.action: Try once more
        missing.title: You are not signed in
        missing.story: This page is for people who are signed in.
        missing.action: Sign in
        logout_token.title: This message could not be accepted
        logout_token.story: Only the service that checks who you are may send messages to this address.
        signing_in.title: Signing you in…
        signing_in.no_script: Please go on by hand: your browser does not run JavaScript.
        signing_in.no_form: Without JavaScript what you have just sent cannot be kept while you sign in.
        sending.title: One moment, please
        sending.story: You are signed in. What you sent before is being sent now.
        sending.lost: You are signed in, but what you sent before could not be kept. Please go back to the form \
        and send it again.
        sending.no_script: Please go back to the form and send it again: without JavaScript it cannot be kept.
        sign_out.title: Do you want to sign out?
        sign_out.story: Nothing has happened yet. If you did not ask for this, stay signed in.
        sign_out.stay: Stay signed in
        signing_out.title: Signing you out…
        signing_out.story: You have left this site. The service that you signed in with is told now.
        signed_out.title: You are signed out
        signed_out.story: You have left this site. If others use this device too, close all windows of the \
        browser.

        """
}
